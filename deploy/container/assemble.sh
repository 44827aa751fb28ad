#!/bin/sh
# Puts what gpulse needs at run time into an empty folder: assemble.sh FOLDER. Run "npm run build" before. Everything else
# that npm installed is in the bundle, or only needed to build it.
set -eu

target=${1:?usage: assemble.sh FOLDER}
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)

test -f "$root/dist/node/entry.cjs" || { echo "assemble.sh: run \"npm run build\" first" >&2; exit 1; }
mkdir -p "$target/bin" "$target/node_modules/node/bin"
cp "$root/bin/gpulse" "$target/bin/"
cp -R "$root/dist" "$root/package.json" "$root/LICENSE" "$root/gpulse.example.yaml" "$target/"
find "$target/dist" -name '*.map' -delete
cp "$root/node_modules/node/bin/node" "$target/node_modules/node/bin/"
# The one native module: its loader, and the library for this platform.
mkdir -p "$target/node_modules/@koromix"
cp -R "$root/node_modules/koffi" "$target/node_modules/"
cp -R "$root"/node_modules/@koromix/koffi-* "$target/node_modules/@koromix/"
