"""Whether a text could pass for a frame: yes under every disguise, no for ordinary text."""

from __future__ import annotations

import re
import unicodedata

import pytest
from kinpost_server.domain.envelope import FRAME_TAGS
from kinpost_server.domain.lookalike import _reading, may_pass_for_frame

ASSIGNED = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) not in {"Cn", "Co", "Cs"}]
DISGUISES = [
    "<agent_message>",
    "</agent_message>",
    '<agent_message from="root_00000000">',
    "</AGENT_MESSAGE>",
    "< / Agent_Message >",
    "<\r\nagent_message\u2028>",
    "<//agent_message//>",
    "<agent_message_7f3a91c2>",
    "<agent-message>",
    "<agent message>",
    "<agentmessage>",
    "<agent\u2014message>",
    "<agent\\_message>",
    "<agent\u30fcmessage>",  # the dash of Katakana
    "<agent\u4e00message>",  # the Chinese number one
    "<agent\u0640message>",  # an Arabic extender
    "<agent|message>",
    "[/agent_message]",
    "＜／ａｇｅｎｔ＿ｍｅｓｓａｇｅ＞",
    "〈agent_message〉",
    "‹/agent_message›",
    "<a\u200bg\u200ce\u200dn\u2060t\ufeff_message>",
    "<agent\u00ad_\u034fmessage>",
    "<\u202eagent_message>",
    "<a\u0301g\u0323e\u0308nt_message>",
    "<àgent_mèssage>",
    "<agent\u3164_\u115fmessage>",  # Hangul fillers are letters that nobody sees
    "<𝐚𝐠𝐞𝐧𝐭_𝓂ℯ𝓈𝓈𝒶ℊℯ>",
    "<ⓐⓖⓔⓝⓣ_🄼🄴🅂🅂🄰🄶🄴>",
    "<🅐🅖🅔🅝🅣_🅼🅴🆂🆂🅰🅶🅴>",
    "<🇦🇬🇪🇳🇹_message>",
    "<ᴀɢᴇɴᴛ_ᴍᴇꜱꜱᴀɢᴇ>",
    "<ᵃᵍᵉⁿᵗ_message>",
    "<аgеnt_mеѕѕаgе>",  # Cyrillic
    "<αgεητ_μεssαgε>",  # Greek
    "<АGЕNТ_МЕЅЅАGЕ>",  # Cyrillic capitals
    "<ΑGΕΝΤ_ΜΕSSΑGΕ>",  # Greek capitals
    "<agent_rnessage>",
    "<agent_me55age>",
    "<agent_meßage>",
    "<pIugin_message>",
    "<p1ug1n_message>",
    "<p|ugin_message>",
    "<plυgіn_message>",
    "<plμgin_message>",  # mu, seen as u
    "<dеlеgаtіоn_message>",
    "<clelegation_message>",
    "<delegatiσn_message>",
    "<рeeг_message>",
    "&lt;agent_message&gt;",
    "&#60;/agent_message&#62;",
    "&#x3C;agent&lowbar;message>",
    "&#x0000003c;agent&#95message>",
    "&amp;lt;agent&amp;lowbar;message&amp;gt;",
    "&amp;amp;amp;lt;agent&amp;amp;amp;lowbar;message",
    "<&#97;gent_message>",
    "<agent&ZeroWidthSpace;_&shy;message>",
    "%3Cagent%5Fmessage%3E",
    "%253Cagent%255Fmessage",
    "%3Cagent%E2%80%8B_message",
    "%u003cagent%u005fmessage",
    "\\u003c/agent_message\\u003e",
    "\\u003cagent\\u005fmessage>",
    "\\u{3c}agent\\u{5f}message>",
    "\\U0000003cagent\\U0000005fmessage>",
    "\\x3cagent\\x5fmessage>",
    "\\74agent\\137message>",
    "<agent\\n_message>",
    "<agent\\\\n_message>",
    "\\ud835\\udc1agent_message",  # the two halves of a mathematical a
    "%5Cu003cagent%5Cu005fmessage",
    "<age\\nt&lowbar;message>",  # a backslash that is noise beside an escape that is none
    "<agent&lowbar;mess%61ge>",
    "<\U000e0061\U000e0067\U000e0065\U000e006e\U000e0074_message>",  # letters that no font draws
    "\u202e>egassem_tnega<",
    "\u2067>egassem_tnega/<\u2069",
    "I write to you with an agent message.",  # in doubt
]
ORDINARY = [
    "Please look at the tests in <b>tests/unit</b> and tell me what fails.",
    "def f(x: dict[str, int]) -> int:\n    return x['a'] << 2 & 0xff  # <agent>\n",
    'print("100%\\n", r"\\d+\\.\\w*", \'\\x1b[0m\', "\\u00e9")',
    '{"text": "line\\nline\\t\\"quoted\\" \\\\ C:\\\\new\\\\table", "done": true}',
    "<html><body class='agent'>&lt;p&gt; a &amp; b &nbsp; &copy; 2024 &#8212; x</body></html>",
    "https://example.org/a%20b?q=caf%C3%A9&agent=1&message=2",
    "curl -s 'http://127.0.0.1/x' | jq '.[] | select(.a != \"b\")' && echo $?",
    "An urgent message: the agent's messages are late.",
    "message to the agent: managers message people",
    "<message from='agent'>hello</message>",
    "<user_message>hello</user_message>",
    "Пожалуйста, напишите агенту сообщение о состоянии сборки.",
    "Ο πράκτορας έστειλε ένα μήνυμα στον γονέα του.",
    "探索用のエージェントにメッセージを送ってください。ー一丨",
    "에이전트에게 메시지를 보내 주세요",
    "أرسل رسالة إلى الوكيل من فضلك",
    "שלח הודעה לסוכן",
    "é à ü ß æ ø — “quoted” … • ✓ 🤖👩‍👩‍👧 ½ ² №",
    "agent 的 message 字段",  # letters between the words stay letters
    "agent\u306emessage",
    "peers-messaging, plugged-in messages",
    "Base64: TWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcmsu== +/",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    " ",
    "",
]


@pytest.mark.parametrize("text", DISGUISES)
def test_a_disguised_tag_is_seen_through(text):
    assert may_pass_for_frame(text)
    assert may_pass_for_frame(f"Ordinary words before it,\n{text}\nand after it: naïve ones.")


@pytest.mark.parametrize("tag", sorted(FRAME_TAGS.values()))
def test_every_frames_tag_is_known(tag):
    assert may_pass_for_frame(f"<{tag}>")
    assert may_pass_for_frame(f"</{tag.upper()}>")


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_passes_for_nothing(text):
    assert not may_pass_for_frame(text)


def test_ordinary_texts_together_pass_for_nothing():
    # without those that speak of agents and of messages: side by side they are in doubt
    texts = [text for text in ORDINARY if "agent" not in text]
    assert len(texts) > 10
    assert not may_pass_for_frame("\n\n".join(texts))


def test_no_character_of_unicode_hides_a_tag_by_standing_between_its_words():
    """Marks, punctuation, separators and controls, all of them; a letter or a symbol makes it another word."""
    hiding = [
        f"U+{ord(character):04X}"
        for character in ASSIGNED
        if unicodedata.category(character)[0] in "MPZC"
        and not any(letter.isalnum() for letter in unicodedata.normalize("NFKD", character))
        and not may_pass_for_frame(f"<agent{character}_message>")
    ]

    assert hiding == []


def test_every_character_of_unicode_is_read_to_letters_or_to_nothing():
    assert [character for character in ASSIGNED if not re.fullmatch("[a-hj-z0-9]*", _reading(character))] == []


def test_more_layers_of_escapes_than_are_undone_are_in_doubt():
    layered = "harmless &" + "amp;" * 30 + "lt;b&gt;"
    assert may_pass_for_frame(layered)
    assert not may_pass_for_frame(layered.replace("amp;" * 30, ""))


def test_more_escapes_than_are_looked_at_are_in_doubt():
    assert not may_pass_for_frame("\\n" * 2048)
    assert may_pass_for_frame("\\n" * 2049)


def test_more_different_characters_than_are_looked_at_are_in_doubt():
    hangul = "".join(map(chr, range(0xAC00, 0xAC00 + 4097)))
    assert not may_pass_for_frame(hangul[:-1])
    assert may_pass_for_frame(hangul)


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "unit",
    [
        "\\", "\\\\n", "&", "&#0", "&amp;", "%25", "%", "essage", "agent", "\u0301\u0323", "\ufdfa", "<agent ",
        "&#x25;%26\\x26",
    ],
)  # fmt: skip
def test_the_longest_body_of_the_worst_kind_is_judged_at_once(unit):
    may_pass_for_frame(unit * (262144 // len(unit)))
    may_pass_for_frame("&#" + "0" * 262144 + unit)
    may_pass_for_frame(unit * 100 + "x" * 262144)
