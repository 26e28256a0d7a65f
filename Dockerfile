# One image for all processes of Tidemark. The command says which: worker, watch listen, sandbox, schedule apply …
#
# The base image is chosen by tag, because a digest is valid only in the registry that you use. Pin it when you build:
#   docker buildx imagetools inspect node:24-bookworm-slim      prints the digest
#   docker build --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:… .
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
# Packages first: they change less often than the source. No package needs an install script.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# Compiles the code and the bundle of the workflows into dist/. Then removes what only the build needs.
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
# ca-certificates: TLS to Temporal and to the API. tini: process 1, which forwards signals and reaps ended processes.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates tini \
  && rm -rf /var/lib/apt/lists/* \
  # Nothing installs packages at run time.
  && rm -rf /usr/local/lib/node_modules /opt/yarn* \
  && rm -f /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg \
  && mkdir -p /data && chown node:node /data
COPY package.json CHANGELOG.md tidemark.example.yaml ./
COPY --from=build /src/node_modules ./node_modules
COPY bin ./bin
COPY --from=build /src/dist ./dist

# The data folder lies on a volume, so that it outlives the container. With the data in a bucket, the working copy does.
ENV TIDEMARK_DATA=/data TIDEMARK_STORAGE_FOLDER=/data/copy
VOLUME /data
USER node

# `docker-compose.yml` has the health checks: each process has its own.
ENTRYPOINT ["/usr/bin/tini", "--", "node", "/app/bin/tidemark.mjs"]
CMD ["--help"]
