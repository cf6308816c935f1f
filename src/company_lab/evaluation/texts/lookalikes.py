"""Look-alikes: letters of other scripts that stand for Latin ones where people read them.

Only letters that are taken for the Latin one in ordinary type; what they look like counts, not how they sound
(the Cyrillic "\u0440" is a "p"). Capital and small letters are listed apart, because they may look like different ones.
"""

from __future__ import annotations

_PAIRS = (
    # Cyrillic, small
    ("\u0430\u0432\u0433\u0435\u0451\u0438\u043a\u043c\u043d\u043e\u043f\u0440\u0441\u0442\u0443\u0445",
     "abreeukmhonpctyx"),
    ("\u0456\u0457\u0458\u0455\u0475\u0501\u04bb\u04cf\u051b\u051d\u04af\u04d5", "iijsvdhlqwy\u00e6"),
    # Cyrillic, capital
    ("\u0410\u0412\u0415\u0401\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0406\u0407\u0408",
     "ABEEKMHOPCTYXIIJ"),
    ("\u0405\u04c0\u051a\u051c\u04ba", "SIQWH"),
    # Greek, small
    ("\u03b1\u03ac\u03b2\u03b3\u03b5\u03ad\u03b7\u03ae\u03b9\u03af\u03ba\u03bc\u03bd\u03bf\u03cc\u03c1",
     "aabyeenniikuvoop"),
    ("\u03c3\u03c4\u03c5\u03cd\u03c7\u03c9\u03f2\u03f3", "otuuxwcj"),
    # Greek, capital
    ("\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03f9\u037f",
     "ABEZHIKMNOPTYXCJ"),
    # Armenian
    ("\u0585\u057d\u0578\u0570\u0581\u0566", "ounhgq"),
    # Latin letters of phonetics, small capitals, and letters that lost a dot
    ("\u0131\u0237\u0251\u0261\u0269\u026f\u029f\u1d00\u0299\u1d04\u1d05\u1d07\ua730\u0262\u029c\u026a",
     "ijagimlabcdefghi"),
    ("\u1d0a\u1d0b\u1d0d\u0274\u1d0f\u1d18\u0280\ua731\u1d1b\u1d1c\u1d20\u1d21\u028f\u1d22",
     "jkmnoprstuvwyz"),
)  # fmt: skip

LATIN: dict[int, str] = {
    ord(letter): plain for letters, plains in _PAIRS for letter, plain in zip(letters, plains, strict=True)
}
"""From the code of a look-alike to the Latin letter."""
