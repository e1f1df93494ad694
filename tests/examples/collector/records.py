# SPDX-License-Identifier: Apache-2.0
"""What examples/collector/otelcol.yaml makes of records of the log, a line of sorted JSON each: body, attributes, severity of an event.

  records.py entries CONFIG <ENTRIES      entries of the journal as JSON, by the operators of CONFIG, which are interpreted here
  records.py receive PORT OUT             what a collector sends by OTLP and HTTP, until the process is ended
"""
import http.server
import json
import re
import sys


def show(body, attributes, severity, out=sys.stdout):
    # A journal has texts alone.
    text = {key: str(value) for key, value in attributes.items()}
    print(json.dumps({"body": body, "severity": severity, "attributes": text}, sort_keys=True), file=out, flush=True)


def interpret(entry, operators):
    record, severity = {"body": entry, "attributes": {}, "resource": {}}, None

    def place(path):
        """Returns the dictionary and the key of a path such as attributes.entry.MESSAGE."""
        words = re.findall(r'[^.\["\]]+(?:\.name(?="))?', path)
        at = record
        for word in words[:-1]:
            at = at[word]
        return at, words[-1]

    for operator in operators:
        kind = operator["type"]
        if "if" in operator:
            path = re.fullmatch(r"(\S+) != nil", operator["if"]).group(1)
            at, key = place(path)
            if key not in at:
                continue
        if kind == "move":
            at, key = place(operator["from"])
            value = at.pop(key)
            at, key = place(operator["to"])
            at[key] = value
        elif kind == "remove":
            at, key = place(operator["field"])
            del at[key]
        elif kind == "severity_parser":
            at, key = place(operator["parse_from"])
            severity = next(name for name, values in operator["mapping"].items() if at[key] in values)
        else:
            sys.exit(f"no such operator: {kind}")
    return record, severity


def entries(config):
    import yaml
    with open(config, encoding="utf-8") as f:
        operators = yaml.safe_load(f)["receivers"]["journald"]["operators"]
    for line in sys.stdin:
        record, severity = interpret(json.loads(line), operators)
        if not record["resource"].get("host.name"):
            sys.exit("a record has no host")
        show(record["body"], record["attributes"], severity)


def receive(port, out):
    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_POST(self):
            data = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            for resource in data["resourceLogs"] if self.path == "/otlp/v1/logs" else []:
                names = {item["key"]: item["value"]["stringValue"] for item in resource["resource"]["attributes"]}
                for record in (r for scope in resource["scopeLogs"] for r in scope["logRecords"]):
                    attributes = {item["key"]: next(iter(item["value"].values())) for item in record["attributes"]}
                    if names["service.name"] == "lfpd" and names["host.name"] and int(record["timeUnixNano"]) > 1e18:
                        show(record["body"]["stringValue"], attributes, {9: "info", 10: "info2", 13: "warn"}.get(record["severityNumber"]), out)
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

    server = http.server.HTTPServer(("127.0.0.1", port), Handler)
    print("ready", flush=True)
    server.serve_forever()


if sys.argv[1] == "entries":
    entries(sys.argv[2])
else:
    with open(sys.argv[3], "w", encoding="utf-8") as file:
        receive(int(sys.argv[2]), file)
