"""Parts of the bank by tier: the two small databases stand for what is alike for all."""

from __future__ import annotations

from dataclasses import replace

from glue.bank.manifest import Manifest


def tier_1_of(manifest: Manifest) -> Manifest:
    """The manifest without the databases of tiers 2 and 3, and without their questions."""
    about = {name: found for name, found in manifest.about.items() if found.tier == 1}
    databases = {name: manifest.databases[name] for name in about}
    questions = tuple(question for question in manifest.questions if question.db_id in about)
    asked = {question.question_id for question in questions}
    instances = {name: steps for name, steps in manifest.instances.items() if name in asked}
    facts = {name: manifest.facts[name] for name in about}
    return replace(
        manifest, about=about, databases=databases, questions=questions, instances=instances, facts=facts
    )
