"""What stands in nearly every trace, for the compressor: a trace then takes about a fifth less space.

Stored traces are read with exactly these bytes, so they never change. Better ones come under another codec.
"""

from __future__ import annotations

TRACE_WORDS = (
    b'{"answer":null,"at":"2026-03-02T09:00:00+00:00","kind":"choice","observation":2,"request":{"messages":'
    b'[{"content":"","role":"user"}],"model":""},"seq":}\n'
    b'{"at":"2026-03-02T09:00:00+01:00","cost_usd":"0.00","input_tokens":1,"kind":"usage","model":"",'
    b'"output_tokens":1,"seq":}\n'
    b'{"at":"","changes":[],"data":{"amount_minor":,"currency":"EUR","invoice":"I-","payment":"pay_"},"delivery":1,'
    b'"id":"evt_1","kind":"event","sender":null,"seq":,"type":"payment.succeeded","visible":true}\n'
    b'{"at":"","call":"c1","fault":0,"kind":"fault","seq":,"what":"lost_ack"}\n'
    b'{"at":"","kind":"memory","seq":,"value":{}}\n'
    b'{"approval":null,"at":"","call":"c1","decision":"deny","kind":"guard","objections":["role_permission"],'
    b'"reason":"permission","rule":"role_permission","seq":,"tool":"","touched":["own_tenant"]}\n'
    b'{"approval":null,"at":"","call":"c1","decision":"require_approval","kind":"guard","objections":[],"reason":"'
    b'{"at":"","call":"c1","changes":[],"delivery":"delivered","error":{"code":"failed","message":"there is no ",'
    b'"reason":"not_found"},"kind":"result","outcome":"failed","seq":,"value":null}\n'
    b'{"at":"","call":"c1","changes":[],"delivery":"timed_out","error":{"code":"timed_out","message":" gave no '
    b'answer in time; whether it happened is not known","reason":"timed_out"},"kind":"result","outcome":"executed",'
    b'"at":"","call":"c1","facts":{"decision":true,"settled":false},"key":null,"kind":"effect","op":"send","payload":'
    b'{"to":"","text":"","subject":""},"provider":"mail","replayed":false,"seq":,"status":"done","text":{"text":"",'
    b'"to":".example.test"}}\n'
    b'{"at":"","call":"c1","decision":"requested","id":"approval_1","kind":"approval","seq":,"tool":""}\n'
    b'{"agent":{"kind":"function","name":"","settings":{}},"at":"2026-03-05T08:00:00+01:00","digests":{"agent":"",'
    b'"code":"","initial":"","scenario":"","world":""},"episode":"fresh","evidence":"deterministic simulation",'
    b'"format":1,"kind":"started","layer":"runtime","scenario":"","seed":0,"seq":0,"tenant":"","trial":1}\n'
    b'{"at":"2026-03-02T09:00:00+00:00","because":"stimulus","kind":"turn","message":"","sender":"","seq":1,"turn":1}\n'
    b'{"at":"2026-03-02T09:00:00+00:00","events":[],"kind":"observation","message":"","seq":2,"turn":1}\n'
    b'{"at":"2026-03-02T09:00:05+00:00","facts":{},"kind":"reply","seq":18,"text":"","to":"","turn":1}\n'
    b'{"at":"2026-03-02T09:00:05+00:00","detail":"","kind":"stopped","reason":"finished","seq":19}\n'
    b'{"at":"2026-03-02T09:00:05+00:00","calls":5,"changes":[{"fields":{"status":["open","paid"]},"id":"",'
    b'"op":"update","table":"invoices"}],"cost_usd":"0","facts":{},"faults":[],"kind":"settled","ledgers":{},'
    b'"seq":20,"simulated_ms":5000,"turns":1,"writers":{"invoices//status":["c3"]}}\n'
    b'"changes":[{"fields":{"":[{"is":"absent"},""]},"id":"","op":"create","table":"'
    b'{"args":{"id":""},"at":"2026-03-02T09:00:01+00:00","by":"agent","call":"c2","hint":null,"kind":"action","seq":6,'
    b'"tool":"","turn":1}\n'
    b'{"approval":null,"at":"2026-03-02T09:00:01+00:00","call":"c2","decision":"allow","kind":"guard",'
    b'"objections":[],"reason":null,"rule":null,"seq":7,"tool":"","touched":["role_permission",'
    b'"requester_permission"]}\n'
    b'{"at":"2026-03-02T09:00:02+00:00","call":"c2","changes":[],"delivery":"delivered","error":null,'
    b'"kind":"result","outcome":"executed","seq":8,"value":{"id":"","status":"open","total_minor":900}}\n'
)
