// The fields of an answer in a notebook: each change asks Python again, which sends the answer as HTML.

const field = (model, name, value) => {
  const whole = typeof value === "number";
  const input = Object.assign(document.createElement("input"), { name, value, type: whole ? "number" : "text" });
  input.addEventListener("change", () => {
    const now = whole ? input.valueAsNumber : input.value;
    if (Number.isNaN(now)) return;
    model.set("fields", { ...model.get("fields"), [name]: now });
    model.save_changes();
  });
  const label = document.createElement("label");
  label.append(`${name.replaceAll("_", " ")} `, input, " ");
  return label;
};

export default {
  render({ model, el }) {
    const answer = document.createElement("div");
    const show = () => { answer.innerHTML = model.get("html"); };
    for (const [name, value] of Object.entries(model.get("fields"))) el.append(field(model, name, value));
    el.append(answer);
    model.on("change:html", show);
    show();
  },
};
