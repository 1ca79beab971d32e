// Caches every file of this build, so that the site works offline. A newer build waits until the visitor asks for it.

const OURS = `fireplan ${new URL(self.registration.scope).pathname} `; // another site of this origin keeps its own
const CACHE = `${OURS}{{BUILD}}`;
const FILES = ["./", ...{{FILES}}.filter((name) => name !== "sw.js")];

self.addEventListener("install", (event) => {
  const fresh = FILES.map((name) => new Request(name, { cache: "no-cache" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(fresh)));
});

self.addEventListener("activate", (event) => {
  const drop = async () => {
    for (const name of await caches.keys())
      if (name.startsWith(OURS) && name !== CACHE) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(drop());
});

self.addEventListener("message", (event) => { if (event.data === "take over") self.skipWaiting(); });

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || !event.request.url.startsWith(self.registration.scope)) return;
  const respond = async () => {
    const cache = await caches.open(CACHE);
    return (await cache.match(event.request, { ignoreSearch: true })) || fetch(event.request);
  };
  event.respondWith(respond());
});
