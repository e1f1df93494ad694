#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A SOAP server with two operations, Store and Fetch, and its WSDL.

  soap-server.py PORT [CALL]

At that call of Store it writes a line, and answers when it has read one."""

import base64
import http.server
import sys
import threading
from xml.etree import ElementTree

SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
OURS = "urn:lfp-workload"
WSDL = """<?xml version="1.0"?>
<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:o="urn:lfp-workload"
  xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:lfp-workload">
<types><x:schema targetNamespace="urn:lfp-workload" elementFormDefault="qualified">
  <x:element name="Store"><x:complexType><x:sequence><x:element name="name" type="x:string"/><x:element name="data" type="x:base64Binary"/></x:sequence></x:complexType></x:element>
  <x:element name="StoreResponse"><x:complexType><x:sequence><x:element name="length" type="x:int"/></x:sequence></x:complexType></x:element>
  <x:element name="Fetch"><x:complexType><x:sequence><x:element name="name" type="x:string"/></x:sequence></x:complexType></x:element>
  <x:element name="FetchResponse"><x:complexType><x:sequence><x:element name="data" type="x:base64Binary"/></x:sequence></x:complexType></x:element>
</x:schema></types>
<message name="StoreIn"><part name="parameters" element="o:Store"/></message>
<message name="StoreOut"><part name="parameters" element="o:StoreResponse"/></message>
<message name="FetchIn"><part name="parameters" element="o:Fetch"/></message>
<message name="FetchOut"><part name="parameters" element="o:FetchResponse"/></message>
<portType name="Members">
  <operation name="Store"><input message="o:StoreIn"/><output message="o:StoreOut"/></operation>
  <operation name="Fetch"><input message="o:FetchIn"/><output message="o:FetchOut"/></operation>
</portType>
<binding name="MembersSoap" type="o:Members">
  <soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
  <operation name="Store"><soap:operation soapAction="Store"/><input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation>
  <operation name="Fetch"><soap:operation soapAction="Fetch"/><input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation>
</binding>
<service name="Members"><port name="Members" binding="o:MembersSoap"><soap:address location="http://%s/"/></port></service>
</definitions>
"""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    members, calls, lock = {}, 0, threading.Lock()
    gate = None

    def answer(self, code, body):
        self.send_response(code)
        self.send_header("Content-Type", "text/xml; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(200, (WSDL % self.headers["Host"]).encode())

    def do_POST(self):
        data = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            call = ElementTree.fromstring(data).find(f"{{{SOAP}}}Body")[0]
            name = call.findtext(f"{{{OURS}}}name")
            if call.tag == f"{{{OURS}}}Store":
                body = self.store(name, base64.b64decode(call.findtext(f"{{{OURS}}}data")))
            elif call.tag == f"{{{OURS}}}Fetch":
                body = f"<FetchResponse xmlns='{OURS}'><data>{base64.b64encode(self.members[name]).decode()}</data></FetchResponse>"
            else:
                raise ValueError(f"no operation {call.tag}")
        except (ElementTree.ParseError, KeyError, IndexError, TypeError, ValueError) as error:
            kind = type(error).__name__  # not the text, which a caller could have made
            self.envelope(500, f"<s:Fault xmlns:s='{SOAP}'><faultcode>s:Client</faultcode><faultstring>{kind}</faultstring></s:Fault>")
            return
        self.envelope(200, body)

    def store(self, name, data):
        with self.lock:
            Handler.calls += 1
            self.members[name] = data
            if self.calls == self.gate:
                print("middle", flush=True)
                sys.stdin.readline()
        return f"<StoreResponse xmlns='{OURS}'><length>{len(data)}</length></StoreResponse>"

    def envelope(self, code, body):
        self.answer(code, f"<?xml version='1.0'?><e:Envelope xmlns:e='{SOAP}'><e:Body>{body}</e:Body></e:Envelope>".encode())

    def log_message(self, *_):
        pass


def main():
    Handler.gate = int(sys.argv[2]) if len(sys.argv) > 2 else None
    http.server.ThreadingHTTPServer(("", int(sys.argv[1])), Handler).serve_forever()


main()
