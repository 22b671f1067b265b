# The server and its command line: `docker run IMAGE serve`, or any other command of `tocsin`.
FROM node:26.10.0-slim AS base
WORKDIR /app
ENV npm_config_ignore_scripts=true npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false
COPY package.json package-lock.json .npmrc ./
COPY cli/package.json cli/
COPY console/package.json console/
COPY sdk/package.json sdk/
COPY server/package.json server/

FROM base AS console
RUN npm ci
COPY tsconfig.json ./
COPY sdk sdk
COPY console console
RUN node console/build/build.ts

FROM base
RUN npm ci --omit=dev --workspace=sdk --workspace=server --workspace=cli && npm cache clean --force
COPY sdk/src sdk/src
COPY server/src server/src
COPY cli/src cli/src
COPY --from=console /app/console/dist console/dist
RUN mkdir /data && chown node:node /data
USER node
ENV NODE_ENV=production NODE_OPTIONS=--disable-warning=ExperimentalWarning TOCSIN_HOST=0.0.0.0 TOCSIN_DATA_DIR=/data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.TOCSIN_PORT || 8080) + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "cli/src/main.ts"]
CMD ["serve"]
