// FOO
