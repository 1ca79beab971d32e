// Single keys at a table, and dice between the seats.

const open = () => document.getElementById("keys").showModal();
document.addEventListener("click", (event) => { if (event.target.closest("[data-help]")) open(); });

// Single keys are off while somebody types. A closed dialog keeps the focus until the next frame.
const typing = (element) => element.matches("input, select, textarea, [contenteditable]") || element.closest("dialog[open]");
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || typing(event.target)) return;
  const target = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!target) return;
  event.preventDefault();
  if (target.matches("button")) target.click();
  else target.focus();
});

// Shared dice: this browser makes a secret for each throw, keeps it until all seats have committed, and checks later
// that the table still shows the same commitments and secret.
const hex = (bytes) => [...new Uint8Array(bytes)].map((each) => each.toString(16).padStart(2, "0")).join("");
const beginFair = () => {
  const fair = document.querySelector("form[data-fair]");
  if (fair && window.crypto && crypto.subtle) {
    const { fair: name, step, committed } = fair.dataset;
    const { value } = fair.elements;
    const secret = localStorage.getItem(name);
    if (step === "tell" && secret) {
      localStorage.setItem(`${name} committed`, committed);
      value.value = secret;
      fair.submit();
    }
    if (step === "commit") fair.addEventListener("submit", (event) => {
      if (value.value) return;
      event.preventDefault();
      const secret = hex(crypto.getRandomValues(new Uint8Array(16)));
      localStorage.setItem(name, secret);
      crypto.subtle.digest("SHA-256", new TextEncoder().encode(secret)).then((digest) => {
        value.value = hex(digest);
        fair.submit();
      });
    });
  }
  for (const row of document.querySelectorAll("[data-thrown]")) {
    const { thrown: name, committed, secret } = row.dataset;
    const differs = (key, value) => localStorage.getItem(key) !== null && localStorage.getItem(key) !== value;
    if (differs(name, secret) || differs(`${name} committed`, committed)) document.getElementById("unfair").hidden = false;
  }
};
document.addEventListener("fireplan:swapped", beginFair);
beginFair();
