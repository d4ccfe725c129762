#!/bin/sh
# A title as a part of an address: small letters, hyphens.
echo "$1" | tr 'A-Z' 'a-z' | tr ' ' '_'
