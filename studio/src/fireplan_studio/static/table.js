// Single keys at a table.

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
