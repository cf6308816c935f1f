"""A checkout in the shape of tau-bench, with a bakery of our own in it: data, tools and tasks, written to a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TOOL = '''
from __future__ import annotations

import json


class Tool:
    """A tool with a name, a schema and what it does to the data."""
'''

TOOLS = """
from __future__ import annotations

import json

from tau_bench.envs.tool import Tool


def schema(name, description, **properties):
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": {key: {"type": kind} for key, kind in properties.items()},
                "required": list(properties),
            },
        },
    }


class FindCustomerByEmail(Tool):
    @staticmethod
    def invoke(data, email):
        for key, customer in data["customers"].items():
            if customer["email"].lower() == email.lower():
                return key
        return "Error: customer not found"

    @staticmethod
    def get_info():
        return schema("find_customer_by_email", "Find a customer.", email="string")


class GetCustomerDetails(Tool):
    @staticmethod
    def invoke(data, customer_id):
        if customer_id not in data["customers"]:
            return "Error: customer not found"
        return json.dumps(data["customers"][customer_id])

    @staticmethod
    def get_info():
        return schema("get_customer_details", "Look at a customer.", customer_id="string")


class GetOrderDetails(Tool):
    @staticmethod
    def invoke(data, order_id):
        if order_id not in data["orders"]:
            return "Error: order not found"
        return json.dumps(data["orders"][order_id])

    @staticmethod
    def get_info():
        return schema("get_order_details", "Look at an order.", order_id="string")


class CancelOrder(Tool):
    @staticmethod
    def invoke(data, order_id, reason):
        orders = data["orders"]
        if order_id not in orders:
            return "Error: order not found"
        order = orders[order_id]
        if order["status"] != "open":
            return "Error: only an open order can be cancelled"
        customer = data["customers"][order["customer"]]
        for payment in order["payments"]:
            customer["credit"] += payment["amount"]
        order["status"] = "cancelled"
        order["history"].append({"what": "cancelled", "reason": reason})
        return json.dumps(order)

    @staticmethod
    def get_info():
        return schema("cancel_order", "Cancel an open order.", order_id="string", reason="string")


class MoveOrder(Tool):
    @staticmethod
    def invoke(data, order_id, street, city):
        if order_id not in data["orders"]:
            return "Error: order not found"
        address = data["orders"][order_id]["address"]
        address["street"] = street
        address["city"] = city
        return json.dumps(data["orders"][order_id])

    @staticmethod
    def get_info():
        return schema("move_order", "Deliver an order elsewhere.", order_id="string", street="string", city="string")


class OrderBread(Tool):
    @staticmethod
    def invoke(data, customer_id, product, pieces):
        stock = data["products"][product]
        if stock["pieces"] < pieces:
            return "Error: not enough left"
        stock["pieces"] -= pieces
        order_id = f"#N{len(data['orders']) + 1}"
        amount = round(stock["price"] * pieces, 2)
        data["orders"][order_id] = {
            "customer": customer_id,
            "status": "open",
            "items": [{"product": product, "pieces": pieces}],
            "payments": [{"amount": amount}],
            "address": dict(data["customers"][customer_id]["address"]),
            "history": [],
        }
        data["customers"][customer_id]["orders"].append(order_id)
        return json.dumps({"order_id": order_id, "amount": amount})

    @staticmethod
    def get_info():
        return schema("order_bread", "Order something.", customer_id="string", product="string", pieces="integer")


class NoteWishes(Tool):
    @staticmethod
    def invoke(data, order_id, wishes):
        if not wishes:
            data["orders"][order_id].pop("wishes", None)
            return "no wishes"
        data["orders"][order_id]["wishes"] = wishes
        return json.dumps(data["orders"][order_id])

    @staticmethod
    def get_info():
        return schema("note_wishes", "Write down wishes for an order.", order_id="string", wishes="array")


class AddWish(Tool):
    @staticmethod
    def invoke(data, order_id, wish):
        data["orders"][order_id]["wishes"].append(wish)
        return json.dumps(data["orders"][order_id])

    @staticmethod
    def get_info():
        return schema("add_wish", "Add a wish to those of an order.", order_id="string", wish="string")


class TransferToHumanAgents(Tool):
    @staticmethod
    def invoke(data, summary):
        return "Transfer successful"

    @staticmethod
    def get_info():
        return schema("transfer_to_human_agents", "Hand over to a person.", summary="string")


ALL_TOOLS = [
    FindCustomerByEmail,
    GetCustomerDetails,
    GetOrderDetails,
    CancelOrder,
    MoveOrder,
    OrderBread,
    NoteWishes,
    AddWish,
    TransferToHumanAgents,
]
"""

DATA = """
from __future__ import annotations

import json
import os

FOLDER = os.path.dirname(__file__)


def load_data():
    found = {}
    for name in ("customers", "orders", "products"):
        with open(os.path.join(FOLDER, f"{name}.json")) as file:
            found[name] = json.load(file)
    return found
"""

TYPES = """
from __future__ import annotations

from pydantic import BaseModel


class Action(BaseModel):
    name: str
    kwargs: dict[str, object]


class Task(BaseModel):
    user_id: str
    actions: list[Action]
    instruction: str
    outputs: list[str]
"""

TASKS = """
from __future__ import annotations

import json
import os

from tau_bench.types import Action, Task

with open(os.path.join(os.path.dirname(__file__), "tasks.json")) as file:
    TASKS_TEST = [Task(annotator="0", **task) for task in json.load(file)]
"""

UNWANTED = 'raise ImportError("the model client of this checkout is not there")\n'
"""What its packages do when they are imported: a host must not import them."""

STREETS = ("Mill Lane", "Oven Road", "Rye Street", "Salt Alley")
BREADS = ("rye", "spelt", "sourdough", "baguette", "ciabatta", "brioche", "pumpernickel", "bagel")


def bakery_data(customers: int, orders: int) -> dict[str, dict[str, Any]]:
    """Customers, orders and products; the same for the same numbers."""
    people = {
        f"customer_{number}": {
            "name": {"first": f"First{number}", "last": f"Last{number}"},
            "email": f"person{number}@bakery.example.test",
            "address": {"street": f"{number} {STREETS[number % 4]}", "city": "Crustham"},
            "credit": float(number % 7),
            "orders": [f"#W{order}" for order in range(number, orders, customers)],
        }
        for number in range(customers)
    }
    placed = {
        f"#W{number}": {
            "customer": f"customer_{number % customers}",
            "status": ("open", "baked", "delivered")[number % 3],
            "items": [
                {"product": BREADS[(number + piece) % len(BREADS)], "pieces": 1 + (number + piece) % 5}
                for piece in range(1 + number % 4)
            ],
            "payments": [{"amount": 2.5 * (1 + number % 4)}],
            "address": {"street": f"{number} {STREETS[number % 4]}", "city": "Crustham"},
            "history": [{"what": "placed", "reason": ""}],
        }
        for number in range(orders)
    }
    breads = {bread: {"price": 2.5 + place, "pieces": 1000} for place, bread in enumerate(BREADS)}
    return {"customers": people, "orders": placed, "products": breads}


def bakery_tasks(offset: int = 0) -> list[dict[str, Any]]:
    """Four tasks: cancel, move, order, and one that is right to leave alone.

    `offset`, a multiple of 12, moves them to later records, which a search finds later.
    """
    one, two, three, six, nine = (offset + number for number in (1, 2, 3, 6, 9))

    def action(name: str, **kwargs: Any) -> dict[str, Any]:
        return {"name": name, "kwargs": kwargs}

    return [
        {
            "user_id": f"customer_{three}",
            "instruction": f"Cancel order #W{three}, you ordered twice. Ask what is credited to you.",
            "actions": [
                action("find_customer_by_email", email=f"person{three}@bakery.example.test"),
                action("get_order_details", order_id=f"#W{three}"),
                action("cancel_order", order_id=f"#W{three}", reason="ordered twice"),
            ],
            "outputs": ["10"],
        },
        {
            "user_id": f"customer_{six}",
            "instruction": f"Have order #W{six} brought to 1 Oven Road in Loafton.",
            "actions": [action("move_order", order_id=f"#W{six}", street="1 Oven Road", city="Loafton")],
            "outputs": [],
        },
        {
            "user_id": f"customer_{two}",
            "instruction": f"Order 4 rye and then cancel #W{nine}, unless it is baked.",
            "actions": [
                action("order_bread", customer_id=f"customer_{two}", product="rye", pieces=4),
                action("cancel_order", order_id=f"#W{nine}", reason="no longer needed"),
            ],
            "outputs": [],
        },
        {
            "user_id": f"customer_{one}",
            "instruction": f"Have order #W{one} cancelled although it is baked already.",
            "actions": [action("transfer_to_human_agents", summary="a baked order can not be cancelled")],
            "outputs": [],
        },
    ]


def write_checkout(folder: Path, *, customers: int = 12, orders: int = 40, offset: int = 0) -> Path:
    """Write the checkout into a folder and give its place."""
    envs = folder / "tau_bench" / "envs"
    domain = envs / "bakery"
    for place in (domain / "data", domain / "tools"):
        place.mkdir(parents=True)
    for package in (folder / "tau_bench", envs, domain):
        (package / "__init__.py").write_text(UNWANTED)
    (folder / "tau_bench" / "types.py").write_text(TYPES)
    (envs / "tool.py").write_text(TOOL)
    (domain / "tools" / "__init__.py").write_text(TOOLS)
    (domain / "data" / "__init__.py").write_text(DATA)
    (domain / "tasks_test.py").write_text(TASKS)
    (domain / "tasks.json").write_text(json.dumps(bakery_tasks(offset)))
    (domain / "wiki.md").write_text("# The bakery\n\nOnly open orders can be cancelled.\n")
    for name, records in bakery_data(customers, orders).items():
        (domain / "data" / f"{name}.json").write_text(json.dumps(records))
    return folder


def recorded_run(
    task: int, trial: int, reward: int, steps: list[Any], *, over: bool = False, offset: int = 0
) -> dict[str, Any]:
    """A recorded trajectory: `steps` are replies (text) and calls (name, arguments, what was answered)."""
    described = bakery_tasks(offset)[task]
    traj: list[dict[str, Any]] = [
        {"role": "system", "content": "# The bakery"},
        {"role": "user", "content": described["instruction"]},
    ]
    for place, step in enumerate(steps):
        if isinstance(step, str):
            traj += [{"role": "assistant", "content": step}, {"role": "user", "content": "###STOP###"}]
            continue
        name, args, answer = step
        call = {
            "id": f"call_{place}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(args)},
        }
        traj.append({"role": "assistant", "content": None, "tool_calls": [call]})
        traj.append({"role": "tool", "tool_call_id": f"call_{place}", "name": name, "content": answer})
    return {
        "task_id": task,
        "trial": trial,
        "reward": float(reward),
        "traj": traj,
        "info": {
            "task": {
                "user_id": described["user_id"],
                "instruction": described["instruction"],
                "actions": described["actions"],
                "outputs": described["outputs"],
            },
            "reward_info": None if over else {"reward": float(reward), "info": {}, "actions": []},
        },
    }
