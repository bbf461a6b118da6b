"""Columns that look as if they held personal data, by their names: no value of them is kept as a sample."""

from __future__ import annotations

import re

WORDS = frozenset(
    """
    account addr address age bank bday biography birth birthdate birthday birthplace born cell comment
    contact death diagnosis disability dob driver email ethnicity fax firstname gender gps health holder
    iban income ip lastname lat latitude license lng login lon longitude maiden mail marital mobile name
    names nationality nick nickname note notes passport passwd password pesel phone photo picture pin
    plate postal postcode race religion remark remarks salary sex signature ssn street surname swift tax
    tel telephone town user username vat wage whatsapp zip zipcode
    adresse anschrift geburt geburtsdatum gehalt kennwort nachname ort plz strasse telefon vorname
    apellido correo direccion nacimiento nombre telefono naissance nom
    prenom 住所 出生 地址 姓名 手机 生日 电话 邮箱 身份证
    """.split()  # noqa: SIM905 - a text is easier to add to
)
"""A name that has one of them as a word is left out: customer_name, EMailAddress, dateOfBirth, phone2."""

PARTS = (
    "address",
    "birth",
    "email",
    "firstname",
    "fullname",
    "lastname",
    "passport",
    "passw",
    "phone",
    "salary",
    "surname",
    "username",
    "地址",
    "姓名",
    "手机",
    "电话",
    "身份证",
    "邮箱",
)
"""So is a name that has one of them anywhere: homephone, useremailold."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+")


def looks_personal(column: str) -> bool:
    """Does a column's name suggest personal data? Rather once too often."""
    squeezed = re.sub(r"[\W_]+", "", column).lower()
    words = {word.lower() for word in _WORD.findall(column)} | {squeezed}
    words |= {word.removesuffix("s") for word in words}
    return not words.isdisjoint(WORDS) or any(part in squeezed for part in PARTS)
