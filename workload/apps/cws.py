# SPDX-License-Identifier: Apache-2.0
"""CICS Web Support: nginx on z/VSE's side. Browsers on Linux's side keep their connections for several pages."""

import http.client

from apps.base import SECONDS, App, compare, noise

PORT = 8080
USERS = 3


class Cws(App):
    key = "cws"
    slide = "CICS Web Support"
    stand_in = "nginx"
    pattern = "server, 3 users with several requests each"
    needs = ("nginx",)

    def run(self, middle):
        self.write("page", small := noise(5000, "cws page"))
        self.write("file", large := noise(self.size // USERS, "cws file"))
        self.write("nginx.conf", f"""daemon off;
master_process off;
pid {self.path('pid')};
error_log stderr warn;
events {{ worker_connections 64; }}
http {{
	access_log off;
	client_body_temp_path {self.path('body')};
	proxy_temp_path {self.path('proxy')};
	fastcgi_temp_path {self.path('fastcgi')};
	uwsgi_temp_path {self.path('uwsgi')};
	scgi_temp_path {self.path('scgi')};
	server {{
		listen {PORT};
		root {self.folder};
	}}
}}
""")
        server = self.job("CWS", ("nginx", "-c nginx.conf -p ."))
        self.listens(PORT, server)
        done, halves = 0, []
        users = [http.client.HTTPConnection(self.route.address, PORT, timeout=SECONDS) for _ in range(USERS)]
        for user in users:
            done += self.page(user, "/page", small)
            user.request("GET", "/file")
            answer = user.getresponse()
            halves.append((answer, answer.read(len(large) // 2)))
        middle()
        for answer, half in halves:
            done += compare(half + answer.read(), large, "a file")
        for user in users:
            user.auto_open = 0  # the connection has gone on, or this is an error
            done += self.page(user, "/page", small)
            user.close()
        self.ended(server)
        return done

    @staticmethod
    def page(user, path, want):
        user.request("GET", path)
        return compare(user.getresponse().read(), want, "a page")
