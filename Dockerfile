# The server and its command line: `docker run IMAGE serve`, or any other command of `tocsin`. docs/running.md says how to run it.
FROM node:26.10.0-slim AS base
WORKDIR /app
ENV npm_config_ignore_scripts=true npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false
COPY package.json package-lock.json .npmrc ./
COPY cli/package.json cli/
COPY console/package.json console/
COPY sdk/package.json sdk/
COPY server/package.json server/

FROM base AS build
RUN npm ci
COPY tsconfig.json ./
COPY sdk sdk
COPY console console
RUN node console/build/build.ts
COPY server server
RUN node server/build/build.ts

FROM base
# What libraries may use and do not need, such as a compiler, is left out too.
RUN npm ci --omit=dev --omit=optional --workspace=sdk --workspace=server --workspace=cli && npm cache clean --force
RUN mkdir -m 0700 /data && chown node:node /data
COPY LICENSE ./
COPY sdk/src sdk/src
COPY server/src server/src
COPY cli/src cli/src
COPY --from=build /app/console/dist console/dist
COPY --from=build /app/server/dist server/dist
# All that is written goes to /data, so that the rest may be mounted read-only.
ENV NODE_ENV=production NODE_OPTIONS=--disable-warning=ExperimentalWarning TOCSIN_HOST=0.0.0.0 TOCSIN_DATA_DIR=/data
EXPOSE 8080
USER node
# It answers while the process is well. Whether it takes work is a balancer's question, which /readyz answers.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.TOCSIN_PORT || 8080) + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--conditions=bundled", "cli/src/main.ts"]
CMD ["serve"]
# Last, as they differ with each build: docker build --build-arg VERSION=0.1.0 --build-arg REVISION=$(git rev-parse HEAD) .
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Tocsin" \
  org.opencontainers.image.description="A self-hosted notification delivery service" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version=$VERSION \
  org.opencontainers.image.revision=$REVISION
