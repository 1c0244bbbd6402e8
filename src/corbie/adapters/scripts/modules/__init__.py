"""The modules a script can require, one thin module each."""
