#!/usr/bin/env bash
# Builds the images lampone and lampone-hbase from this source tree.
#
#   docker/build.sh [--tag TAG]
#
#   LAMPONE_DIST         a distribution that is built already (lampone-VERSION-bin.tar.gz)
#   LAMPONE_BUILD_BASE   the base image, best with its digest: eclipse-temurin:17-jre@sha256:...
#   LAMPONE_MAVEN_OPTS   further options for the build, for example "-o"
#
# Nothing is pulled but the base image, and that only if it is not there.
set -euo pipefail

here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here root=${here%/*} BASE_IMAGE=${LAMPONE_BUILD_BASE:-eclipse-temurin:17-jre}
# HDFS asks log4j 1 by name, even when it logs elsewhere.
readonly LOG4J_BRIDGE=org.slf4j:log4j-over-slf4j:1.7.36
tag=latest

die() {
  printf 'docker/build.sh: %s\n' "$*" >&2
  exit 1
}

while (($# > 0)); do
  case $1 in
    --tag)
      (($# > 1)) || die "--tag needs a value"
      tag=$2
      shift 2
      ;;
    *) die "unknown option: $1" ;;
  esac
done

docker info >/dev/null 2>&1 || die "no Docker engine answers; start one, or set DOCKER_HOST"
docker image inspect "$BASE_IMAGE" >/dev/null 2>&1 || docker pull "$BASE_IMAGE" ||
  die "the base image cannot be pulled; docker/base-image.sh makes one from Debian's packages"

distribution=${LAMPONE_DIST:-}
if [[ -z $distribution ]]; then
  # shellcheck disable=SC2086 # The options are words.
  (cd "$root" && ./mvnw -B -q -ntp ${LAMPONE_MAVEN_OPTS:-} -Pdist -Dmaven.test.skip=true package)
  distribution=$(find "$root/distribution/target" -maxdepth 1 -name 'lampone-*-bin.tar.gz' -print -quit)
fi
[[ -f $distribution ]] || die "no distribution was built: $distribution"

context=$root/target/docker
rm -rf "$context"
mkdir -p "$context"/{lampone/lampone,hbase/lib,hbase/coprocessor}
tar -xzf "$distribution" -C "$context/lampone/lampone" --strip-components=1
cp "$here/lampone/Dockerfile" "$here/health" "$context/lampone/"
cp "$here/hbase/Dockerfile" "$here/hbase/server" "$here/health" "$context/hbase/"
# HBase and what it needs, and of ours the one jar that an HBase gets.
find "$context/lampone/lampone/lib" -name '*.jar' ! -name 'lampone-*' \
  -exec cp -t "$context/hbase/lib" {} +
cp "$context"/lampone/lampone/coprocessor/*.jar "$context/hbase/coprocessor/"
# shellcheck disable=SC2086 # The options are words.
(cd "$root" && ./mvnw -B -q -ntp ${LAMPONE_MAVEN_OPTS:-} -N dependency:copy \
  -Dartifact="$LOG4J_BRIDGE" -DoutputDirectory="$context/hbase/lib")

docker build --quiet --build-arg BASE_IMAGE="$BASE_IMAGE" --tag "lampone:$tag" "$context/lampone"
docker build --quiet --build-arg BASE_IMAGE="$BASE_IMAGE" --tag "lampone-hbase:$tag" "$context/hbase"
