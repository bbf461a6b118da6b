"""Keys stay out of what lands, and addresses out of what is secret in them."""

from __future__ import annotations

import base64
import json

import pytest

from glue.errors import GlueError
from glue.solvers.keys import Scrubber, address, secrets_of


def test_an_address_is_split_into_what_is_sent_and_what_is_shown() -> None:
    found = address("https://me:p%40ssword@host:8443/v1/?code=abc")
    assert (found.url, found.shown) == ("https://host:8443/v1?code=abc", "https://host:8443/v1")
    assert found.basic_auth == "Basic " + base64.b64encode(b"me:p@ssword").decode()
    assert set(secrets_of(found)) == {"p@ssword", base64.b64encode(b"me:p@ssword").decode(), "abc"}
    assert address("http://localhost:8000/v1").basic_auth is None


@pytest.mark.parametrize("text", ["localhost:8000", "ftp://host/v1", "http://", "http://host:99999/", "v1"])
def test_what_is_no_address_is_said(text: str) -> None:
    with pytest.raises(GlueError, match="is no address"):
        address(text)


def test_a_wrong_address_does_not_show_its_password() -> None:
    with pytest.raises(GlueError) as caught:
        address("ftp://me:password1@host")
    assert "password1" not in caught.value.message


def test_keys_go_however_they_are_spelled() -> None:
    key = 'sk-"a"/b+c\\d'
    scrubber = Scrubber([key])
    for text in (key, json.dumps(key), json.dumps(json.dumps({"k": key})), "sk-%22a%22%2Fb%2Bc%5Cd"):
        assert "[key]" in str(scrubber.scrub(f"before {text} after"))
        assert "a" not in str(scrubber.scrub(text)).replace("[key]", "")


def test_keys_of_the_environment_go_and_common_words_stay() -> None:
    environment = {
        "ANTHROPIC_API_KEY": "sk-ant-0123456789",
        "MY_TOKEN": "none",
        "KEYBOARD_LAYOUT": "a-long-enough-name",
        "AWS_SECRET_ACCESS_KEY": "abcdefghijklmnop",
        "SSH_AUTH_SOCK": "/tmp/agent/socket.1",
    }
    scrubber = Scrubber.of(["local", "sk-local-1"], environment)
    text = "select none, local from sk-local-1 sk-ant-0123456789 a-long-enough-name abcdefghijklmnop"
    assert scrubber.scrub(text) == "select none, local from [key] [key] a-long-enough-name [key]"
    assert scrubber.scrub(None) is None
