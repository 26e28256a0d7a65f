# One image for every process of Tidemark; the command says which (worker, sandbox, watch listen, …).

FROM node:20-slim AS build
WORKDIR /src
# Packages first: they change less often than the source. None needs an install script.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build

FROM node:20-slim
ENV NODE_ENV=production
WORKDIR /app
# TLS to Temporal and to the API needs the system's certificates.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && npm cache clean --force \
  && mkdir -p /data && chown node:node /data
COPY bin ./bin
COPY --from=build /src/dist ./dist

# data/ lies on a volume: landing parts, warehouse and published file outlive the container.
ENV TIDEMARK_DATA=/data
VOLUME /data
USER node

# Not npm or npx: signals must reach the process, which ends gracefully on SIGTERM.
ENTRYPOINT ["node", "bin/tidemark.mjs"]
CMD ["--help"]
