#!/usr/bin/env bash
# Makes the base image eclipse-temurin:17-jre from Debian's packages, where no registry of images
# can be reached. Needs root, mmdebstrap and a mirror of Debian.
#
#   docker/base-image.sh [ARCHIVE]     keeps the file system as ARCHIVE (350 MB), and uses it if it is there
set -euo pipefail

archive=${1:-$(mktemp -d)/base-jre.tar}
if [[ ! -s $archive ]]; then
  command -v mmdebstrap >/dev/null || {
    echo "docker/base-image.sh: mmdebstrap is missing; apt-get install mmdebstrap" >&2
    exit 1
  }
  mkdir -p "$(dirname "$archive")"
  # The installation of a JRE looks for the folder of manual pages that is left out here.
  mmdebstrap --quiet --format=tar --variant=minbase --include=ca-certificates,openjdk-17-jre-headless \
    --aptopt='Apt::Install-Recommends "false"' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --setup-hook='mkdir -p "$1/usr/share/man/man1"' \
    bookworm "$archive.part"
  mv "$archive.part" "$archive"
fi
docker import --change 'ENV JAVA_HOME=/usr/lib/jvm/java-17-openjdk-amd64' "$archive" \
  eclipse-temurin:17-jre
