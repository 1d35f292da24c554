"""Calls a tool with the x402 package for Python and prints status, body and receipt as JSON.

Usage: PRIVATE_KEY=… python client.py <url> <body>
"""

import asyncio
import base64
import json
import os
import sys

import httpx
from eth_account import Account
from x402 import x402Client
from x402.http.clients.httpx import x402AsyncTransport
from x402.mechanisms.evm.exact.register import register_exact_evm_client


async def main(url, body):
    client = register_exact_evm_client(x402Client(), Account.from_key(os.environ["PRIVATE_KEY"]))
    async with httpx.AsyncClient(transport=x402AsyncTransport(client), timeout=60) as http:
        response = await http.post(url, content=body, headers={"content-type": "application/json"})
    receipt = response.headers.get("payment-response") or response.headers.get("x-payment-response")
    result = {
        "status": response.status_code,
        "body": response.json(),
        "receipt": json.loads(base64.b64decode(receipt)) if receipt else None,
    }
    print(json.dumps(result))


asyncio.run(main(*sys.argv[1:]))
