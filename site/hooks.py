# SPDX-License-Identifier: Apache-2.0
"""MkDocs: puts the manuals, which mandoc has rendered, into their pages."""

import os
import re

PLACE = re.compile(r"<!-- manual ([\w./-]+\.html) -->")


def on_page_content(html, page, config, files):
    def manual(match):
        with open(os.path.join(config["docs_dir"], match.group(1)), encoding="utf-8") as f:
            return f.read()

    return PLACE.sub(manual, html)


def on_files(files, config):
    for file in list(files):
        if PLACE.match(f"<!-- manual {file.src_path} -->"):
            files.remove(file)
    return files
