#!/bin/sh
slug=$(./slug.sh 'Three Tea Tins')
if [ "$slug" = three-tea-tins ]; then echo "ok: $slug"; else echo "FAILED: $slug"; exit 1; fi
