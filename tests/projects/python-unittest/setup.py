from setuptools import setup

setup(name="stock", version="0.1.0", py_modules=["stock"])
