"""A ticket desk: one scripted agent, its tools and its mistakes, before and after it has rules.

`python -m examples.ticket_desk` tells the whole story; `world` and `tools` are what the agent works on, `mistakes`
is what it gets wrong, `line` is how it calls tools through `errata_client`, `agent` is what it does.
"""
