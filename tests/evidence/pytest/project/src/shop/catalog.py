"""The price list: a name and a price in each line."""


def parse(text):
    prices = {}
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            name, price = line.split(",")
            prices[name.strip()] = int(price)
    return prices
