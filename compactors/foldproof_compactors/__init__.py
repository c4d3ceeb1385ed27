"""Compactors for host frameworks: one module per host, each importing its framework only inside that module.

Importing this package imports no framework. A module here may rely on everything in `foldproof`; nothing in `foldproof`
relies on it.
"""
