"""From what a model or a file says to the one SQL text that is run, with a note of what was cut away.

A text that is SQL already stays as it is, byte for byte: comments, several statements and all. Otherwise SQL
is taken out of a reasoning block's surroundings, code fences, a JSON object, a label or prose. Nothing is
guessed: a text without SQL gives none. The steps, as they are recorded in landing:

    bird_suffix     BIRD's "<TAB>----- bird -----<TAB>database" at the end
    think_block     <think>…</think>, also one that was never opened or never closed
    stop_token      a chat template's end mark (<|im_end|>, </s>) at the end
    json            a JSON object with a field that holds the SQL
    fence           ``` or ~~~: the last block that holds SQL
    label           "SQL:", "SQLQuery:", … in front
    prose_before    sentences in front
    prose_after     sentences behind
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

SQL_FIELDS = (
    "predicted_sql",
    "pred_sql",
    "predict_sql",
    "prediction",
    "predicted",
    "pred",
    "generated_sql",
    "sql_pred",
    "final_sql",
    "sql_query",
    "sqlquery",
    "generated_query",
    "predicted_query",
    "sql",
    "query",
    "answer",
    "response",
    "output",
    "completion",
)
"""Names of a field that holds the predicted SQL, the most telling first, as `plain_name` writes them."""


@dataclass(frozen=True)
class Extraction:
    """What was found in a text: the SQL or None, what was done to get it, and the text that was cut away."""

    sql: str | None
    steps: list[str]
    cut_away: str | None


def extract_sql(text: str) -> Extraction:
    """The SQL of a text. Never raises; `sql` is None when there is none in it."""
    work = _Work(text)
    _cut_bird_suffix(work)
    _cut_think_blocks(work)
    _cut_stop_token(work)
    for attempt in (_take_json, _take_fence, _take_whole, _take_labelled, _take_from_prose):
        if attempt(work):
            return work.finished()
    return Extraction(None, work.steps, None)


def holds_json(text: str) -> bool:
    """Whether an answer holds a JSON object, as macro answered_json reads it."""
    visible = re.sub(r"<think>.*</think>", "", text, flags=re.DOTALL)
    for pattern in (r"```(?:json)?\s*(\{.*\})\s*```", r"(\{.*\})"):
        found = re.search(pattern, visible, re.DOTALL)
        if found is not None and _is_json(found[1]):
            return True
    return False


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def split_bird_suffix(text: str) -> tuple[str, str | None]:
    """BIRD's 'SQL<TAB>----- bird -----<TAB>database' as (SQL, database); without the suffix None."""
    place = text.rfind(_BIRD_SEPARATOR)
    db_id = text[place + len(_BIRD_SEPARATOR) :].rstrip()
    if place < 0 or "\n" in db_id or not db_id:
        return text, None
    sql = text[:place].rstrip(" ")
    return sql.removesuffix("\t"), db_id.strip()


def plain_name(name: str) -> str:
    """A field's name for comparison: lower case, anything but letters and digits as one underscore."""
    return re.sub(r"[^0-9a-z]+", "_", name.lower()).strip("_")


def is_sql(text: str) -> bool:
    """Does this text, after comments and opening brackets, start like SQL rather than a sentence?"""
    opening = mask(text[:_OPENING_CHARACTERS])
    found = _LEADING.match(opening)
    start = found.end() if found else 0
    if _QUERY.match(opening, start):
        return not _SENTENCE.match(text, start)
    line = text[:_OPENING_CHARACTERS].lstrip().split("\n", 1)[0]
    return bool(_COMMAND.match(opening, start)) and not is_prose(line)


def is_prose(text: str) -> bool:
    """Is this clearly prose: a heading, or a paragraph with words of sentences and no SQL in front?"""
    paragraph = _BLANK_LINE.split(text[:_OPENING_CHARACTERS].strip(), maxsplit=1)[0][:_PARAGRAPH_CHARACTERS]
    if _HEADING.match(paragraph):
        return True
    if paragraph.startswith(("--", "/*", "#")) or _CONTINUATION.match(paragraph):
        return False
    opening = paragraph.lstrip(" \t\r\n*->•(\"'“")
    word = _WORD.match(opening)
    if word is None or _QUERY.match(opening):
        return False
    first = word.group()
    if first.lower() in _CLAUSES and not (first.istitle() and first.lower() in _SENTENCE_OPENERS):
        return False
    words = {found.lower() for found in _WORD.findall(mask(paragraph))}
    return len(words & _FUNCTION_WORDS) >= 2 or bool(_CHINESE_SENTENCE.search(paragraph))


def mask(sql: str) -> str:
    """The text with comments blanked and what stands in quotes replaced by x: places stay the same.

    A backslash before a quote is read as escaping it, as many predictions mean it; where it ends a text, the
    text is read as going on.
    """
    return _OPAQUE.sub(_masked, sql)


def top_level_semicolons(sql: str) -> Iterator[int]:
    """The places of the semicolons outside quotes and comments."""
    return (found.start() for found in re.finditer(";", mask(sql)))


# --- What is looked for -------------------------------------------------------------------------------------

_OPENING_CHARACTERS = 2_000
_PARAGRAPH_CHARACTERS = 400
_STOP_TOKEN_CHARACTERS = 60
_MOST_PLACES = 200
"""A text may be hostile: what is looked at again and again is bounded, so that time grows with length."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BIRD_SEPARATOR = "----- bird -----"
_STOP_TOKEN = re.compile(r"(?:<\|[a-z_▁|]{1,30}\|>|</s>|<end_of_turn>|<eos>)\Z", re.IGNORECASE)
_THINK_OPEN = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_THINK_CLOSE = re.compile(r"</think(?:ing)?>", re.IGNORECASE)

_OPAQUE = re.compile(
    r"""
      '(?:[^'\\]|''|\\(?:.|\Z))*+(?:'|\Z)
    | "(?:[^"\\]|""|\\(?:.|\Z))*+(?:"|\Z)
    | (?<!`)`(?!`)[^`\n]*`(?!`)
    | --[^\n]*
    | /\*.*?(?:\*/|\Z)
    | (?m:^)[ \t]*\#(?!\#)[^\n]*
    """,
    re.DOTALL | re.VERBOSE,
)
_LEADING = re.compile(r"[\s(;]*")

_NAME = r"(?:[^\W\d][\w$]*|x+|`[^`]*`|\[[^\]]*\])"
_QUERY = re.compile(
    rf"(?:select\b\s*\S|with\s+(?:recursive\s+)?{_NAME}\s*(?:\(|as\b)|values\s*\()", re.IGNORECASE
)
_SENTENCE = re.compile(
    r"""
    select\s+(?: i'(?:ll|m|ve|d)\b
              | (?:to|the|an|these|those|this|that|which|your|you|it)\s+
                (?!(?:from|as|is|in|and|or|between|like|not|union|except|intersect|where|limit|order|group)\b)
                [a-z])
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OBJECT = (
    r"(?:table|view|index|unique|trigger|virtual|temp|temporary|or\s+replace|function|macro|schema|database|"
    r"user|role|sequence|type|secret|external|materialized|global|column|extension|procedure|persistent)\b"
)
_COMMAND = re.compile(
    r"(?:insert\s+(?:(?:or\s+\w+\s+)?into|all|first|overwrite|when)\b|replace\s+into\b|delete\s+from\b"
    r"|merge\s+into\b|truncate\b"
    rf"|update\s+\S+|(?:create|drop|alter)\s+{_OBJECT}|comment\s+on\b"
    r"|(?:pragma|explain|attach|detach|vacuum|reindex|analyze|copy|install|load|set|reset|prepare|execute|"
    r"call|show|describe|desc|summarize|from|table|pivot|unpivot|begin|start|commit|rollback|savepoint|"
    r"release|grant|revoke|declare|use|import|export|checkpoint|force|deallocate|lock)\s+\S"
    r"|(?:vacuum|commit|rollback|begin|checkpoint|analyze|reindex)\s*(?:;|\Z))",
    re.IGNORECASE,
)
_HEADING = re.compile(r"#{2,6}[ \t]+\S|\*\*[A-Z]|[A-Z][a-z]+(?: [a-z]+){0,3}:[ \t]*(?:\n|\Z)")
_CONTINUATION = re.compile(
    rf"{_NAME}\s*(?:\([^()]*\)\s*)?\s+as\s*(?:not\s+)?(?:materialized\s*)?\(", re.IGNORECASE
)
_UNFINISHED = re.compile(
    r"(?:[,(=<>+*/|-]|\b(?:with|as|and|or|not|select|distinct|from|where|on|by|join|union|all|except|intersect|in|"
    r"having|limit|case|when|then|else|over|using|recursive))\s*\Z",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?")
_CLAUSES = _words(
    """
    select from where group order having limit union except intersect minus join left right inner outer cross
    full natural and or on as offset fetch window qualify using when then else end case over partition not in
    is like between exists set values returning for with insert update delete create drop alter pragma attach
    detach vacuum copy install load prepare execute explain merge truncate replace
    """
)
_SENTENCE_OPENERS = _words(
    "for in as on when and or then is case using not with between like set end left right"
)
_FUNCTION_WORDS = _words(
    """
    the this that these those which it we you will because are here note an of to your should can please query
    result results returns explanation answer question i my since so therefore however there has have been was
    does do did if let me us our its their any
    """
)
_CHINESE_SENTENCE = re.compile(r"[\u4e00-\u9fff][^\n]*[\u3002\uff0c\uff1a\uff1b\uff01]")

_LANGUAGES = (
    "sqlite3?|sql|postgresql|postgres|psql|mysql|mariadb|duckdb|oracle|plsql|pl/sql|tsql|t-sql|mssql|"
    "snowflake|bigquery|json|text|txt|plaintext|markdown|output|code"
)
_FENCE = re.compile(
    rf"(?:`{{3,}}|~{{3,}})[ \t]*(?:(?:{_LANGUAGES})(?=\s|\Z)|[\w+#-]+(?=[ \t]*\r?\n))?", re.IGNORECASE
)
_LABEL = re.compile(
    r"^[ \t>*_\#`]{0,12}(?:(?:final|corrected|generated|predicted|the)[ \t]{1,3})?"
    r"(?:sql[ \t_]{0,2}query|sql[ \t]{1,3}statement|sql|query|answer|output|response|assistant|查询|答案)"
    r"[ \t*_`]{0,8}[:：][ \t*_]{0,8}",
    re.IGNORECASE | re.MULTILINE,
)
_NEXT_LABEL = re.compile(r"^[ \t]*[*_]{0,3}[A-Z][A-Za-z]*(?: [A-Za-z]+){0,3}[*_]{0,3}:(?!:)", re.MULTILINE)
_LANGUAGE_IN_FRONT = re.compile(
    r"\A\s*(?:sql|sqlite3?|postgresql|postgres|mysql|duckdb)\s+(?=select\b|with\b)", re.I
)
_LINE_WITH_QUERY = re.compile(r"^[ \t>]*(?=(?:select|with)\b)", re.IGNORECASE | re.MULTILINE)
_QUERY_AFTER_COLON = re.compile(r"[:：][ \t]*(?=(?:SELECT|WITH)\b)")
_INLINE_CODE = re.compile(r"(?<!`)`((?:select|with)\s[^`]+)`(?!`)", re.IGNORECASE)
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
_POSSIBLE_END = re.compile(r";|\n[ \t\r]*\n")
_MORE = re.compile(r";\s*+\S|\n[ \t\r]*+\n")


def _masked(found: re.Match[str]) -> str:
    piece = found.group()
    return ("x" if piece[0] in "'\"`" else " ") * len(piece)


# --- How it is cut ------------------------------------------------------------------------------------------


@dataclass
class _Work:
    """A text that is being cut: what is left, the steps so far, and what was cut in front and behind."""

    text: str
    steps: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)

    def keep(self, start: int, end: int, step: str) -> None:
        """Keep text[start:end] and note what went."""
        self.before.append(self.text[:start])
        self.after.append(self.text[end:])
        self.text = self.text[start:end]
        if step not in self.steps:
            self.steps.append(step)

    def keep_stripped(self, start: int, end: int, step: str) -> None:
        """Keep text[start:end] without the white space around it."""
        piece = self.text[start:end]
        first = start + len(piece) - len(piece.lstrip())
        self.keep(first, max(first, start + len(piece.rstrip())), step)

    def finished(self) -> Extraction:
        pieces = [piece.strip() for piece in (*self.before, *reversed(self.after))]
        cut_away = "\n…\n".join(piece for piece in pieces if piece)
        return Extraction(self.text, self.steps, cut_away or None)


def _cut_bird_suffix(work: _Work) -> None:
    sql, db_id = split_bird_suffix(work.text)
    if db_id is not None:
        work.keep(0, len(sql), "bird_suffix")


def _cut_stop_token(work: _Work) -> None:
    end = len(work.text)
    while True:
        last = work.text[max(end - _STOP_TOKEN_CHARACTERS, 0) : end]
        found = _STOP_TOKEN.search(last.rstrip())
        if found is None:
            break
        end -= len(last) - found.start()
    if end < len(work.text):
        work.keep(0, len(work.text[:end].rstrip()), "stop_token")


def _cut_think_blocks(work: _Work) -> None:
    """Keep what follows the last reasoning block; when nothing does, what stands before the first."""
    if _THINK_OPEN.search(work.text) is None and _THINK_CLOSE.search(work.text) is None:
        return
    visible = mask(work.text) if is_sql(work.text) else work.text
    opened, closes = _THINK_OPEN.search(visible), list(_THINK_CLOSE.finditer(visible))
    if opened is None and not closes:
        return
    end_of_reasoning = closes[-1].end() if closes else len(visible)
    reopened = _THINK_OPEN.search(visible, end_of_reasoning)
    if closes and visible[end_of_reasoning : reopened.start() if reopened else None].strip():
        work.keep_stripped(end_of_reasoning, reopened.start() if reopened else len(visible), "think_block")
    elif opened is not None and (not closes or opened.start() < closes[0].start()):
        work.keep_stripped(0, opened.start(), "think_block")
    else:
        work.keep_stripped(len(visible), len(visible), "think_block")


def _take_json(work: _Work) -> bool:
    found = _sql_in_json(work.text)
    if found is None:
        return False
    inner = extract_sql(found)
    if inner.sql is None:
        return False
    work.before.append(work.text)
    work.text = inner.sql
    work.steps.extend(step for step in ("json", *inner.steps) if step not in work.steps)
    return True


def _sql_in_json(text: str) -> str | None:
    """The text in the SQL field of a JSON object; None when this is no such object."""
    stripped = text.strip()
    if not (stripped.startswith("{") and stripped.endswith("}")):
        return None
    try:
        value = json.loads(stripped, strict=False)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    fields = {plain_name(name): content for name, content in value.items() if isinstance(content, str)}
    return next((fields[name] for name in SQL_FIELDS if fields.get(name, "").strip()), None)


def _take_fence(work: _Work) -> bool:
    """The last fenced block that holds SQL; else the last piece between fences that is SQL."""
    if "```" not in work.text and "~~~" not in work.text:
        return False
    visible = mask(work.text) if is_sql(work.text) else work.text
    marks = list(_FENCE.finditer(visible))
    if not marks:
        return False
    insides = [(mark.end(), end) for mark, end in _blocks(marks, len(visible))]
    starts = [0, *(mark.end() for mark in marks)]
    ends = [*(mark.start() for mark in marks), len(visible)]
    for start, end in (*reversed(insides), *reversed(list(zip(starts, ends, strict=True)))):
        piece = work.text[start:end]
        if is_sql(piece):
            work.keep_stripped(start, end, "fence")
            _cut_prose_after(work)
            return True
        if _sql_in_json(piece) is not None:
            work.keep_stripped(start, end, "fence")
            return _take_json(work)
    return False


def _blocks(marks: list[re.Match[str]], length: int) -> Iterator[tuple[re.Match[str], int]]:
    """Each opening mark with where its block ends: marks open and close in turn, the last may stay open."""
    for opening in range(0, len(marks), 2):
        closing = opening + 1
        yield marks[opening], marks[closing].start() if closing < len(marks) else length


def _take_whole(work: _Work) -> bool:
    if not is_sql(work.text):
        return False
    _cut_prose_after(work)
    return True


def _take_labelled(work: _Work) -> bool:
    in_front = _LANGUAGE_IN_FRONT.match(work.text)
    starts = [found.end() for found in _LABEL.finditer(work.text)][-_MOST_PLACES:]
    for start in reversed([*([in_front.end()] if in_front else []), *starts]):
        if is_sql(work.text[start : start + _OPENING_CHARACTERS]):
            following = _NEXT_LABEL.search(mask(work.text[start:]))
            end = start + following.start() if following else len(work.text)
            work.keep_stripped(start, end, "label")
            _cut_prose_after(work)
            return True
    return False


def _take_from_prose(work: _Work) -> bool:
    """A query that starts a line or follows a colon, or stands in inline code, with sentences around it."""
    for pattern in (_LINE_WITH_QUERY, _QUERY_AFTER_COLON):
        for found in itertools.islice(pattern.finditer(work.text), _MOST_PLACES):
            start = found.end()
            rest = work.text[start : start + _OPENING_CHARACTERS]
            if _introduces(work.text[:start]) and is_sql(rest) and not is_prose_line(rest):
                work.keep_stripped(start, len(work.text), "prose_before")
                _cut_prose_after(work)
                return True
    codes = list(_INLINE_CODE.finditer(work.text))
    if codes and is_sql(codes[-1].group(1)):
        work.keep_stripped(codes[-1].start(1), codes[-1].end(1), "prose_before")
        return True
    return False


def _introduces(text: str) -> bool:
    """Does this, in front of a query, read like words about it rather than the head of a statement?"""
    stripped = text[-_OPENING_CHARACTERS:].strip()
    return (
        not stripped or stripped.endswith((":", ".", "!", "?", "：", "。", "！", "？")) or is_prose(stripped)
    )


def is_prose_line(text: str) -> bool:
    """Does the first line, although it starts with SELECT or WITH, read like a sentence?"""
    line = text[:_OPENING_CHARACTERS].split("\n", 1)[0]
    words = {found.lower() for found in _WORD.findall(mask(line))}
    return len(words & _FUNCTION_WORDS) >= 2


def _cut_prose_after(work: _Work) -> None:
    """Cut sentences behind the SQL: behind a semicolon, or a blank line where a statement may end."""
    if not _MORE.search(work.text):
        return
    for place in itertools.islice(_possible_ends(work.text, mask(work.text)), _MOST_PLACES):
        rest = work.text[place : place + _OPENING_CHARACTERS]
        if rest.strip() and is_prose(rest) and not is_sql(rest):
            work.keep_stripped(0, place, "prose_after")
            return


def _possible_ends(text: str, masked: str) -> Iterator[int]:
    """Behind each semicolon, and at each blank line with every bracket closed and nothing left to follow."""
    n_open = position = 0
    for found in _POSSIBLE_END.finditer(text):
        if masked[found.start()] != found.group()[0]:  # in quotes or a comment
            continue
        n_open += masked.count("(", position, found.start()) - masked.count(")", position, found.start())
        position = found.start()
        if found.group() == ";":
            yield found.end()
        elif n_open <= 0 and not _UNFINISHED.search(masked[max(position - 40, 0) : position]):
            yield position
