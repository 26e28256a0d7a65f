# One image for every process of Tidemark; the command says which (worker, sandbox, watch listen, …). No build step.
FROM node:20-slim

ENV NODE_ENV=production
WORKDIR /app

# TLS to Temporal and to the API needs the system's certificates.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*

# Packages first: they change less often than the source. None needs an install script.
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && npm cache clean --force \
  # The workflow bundle is kept here, under the hash of its sources.
  && mkdir -p node_modules/.cache /data && chown node:node node_modules/.cache /data

COPY . .

# data/ lies on a volume: landing parts, warehouse and published file outlive the container.
ENV TIDEMARK_DATA=/data
VOLUME /data
USER node

# Not npm or npx: signals must reach the process, which ends gracefully on SIGTERM.
ENTRYPOINT ["node", "bin/tidemark.mjs"]
CMD ["--help"]
