"""An answer's fields in a notebook, in Chromium: what is typed is sent, and the answer that arrives
is shown.
"""

from importlib.resources import files

MODEL = """source => {
  const held = { fields: { name: "woods", minutes: 12 }, html: "<b>first</b>" }, heard = {};
  window.model = {
    get: (name) => held[name],
    set: (name, value) => { held[name] = value; },
    save_changes: () => { window.sent = held.fields; },
    on: (what, then) => { heard[what] = then; },
    answer: (html) => { held.html = html; heard["change:html"](); },
  };
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  return import(url).then((made) => made.default.render({ model: window.model, el: document.body }));
}"""


def test_a_field_that_is_changed_is_sent_and_the_answer_is_shown(browser):
    page = browser.new_page()
    page.evaluate(MODEL, (files("fireplan.questions") / "widget.js").read_text(encoding="utf-8"))
    assert page.inner_text("b") == "first"
    page.get_by_label("minutes").fill("20")
    page.keyboard.press("Tab")
    assert page.evaluate("() => window.sent") == {"name": "woods", "minutes": 20}
    page.get_by_label("name").fill("dug_in")
    page.keyboard.press("Tab")
    assert page.evaluate("() => window.sent") == {"name": "dug_in", "minutes": 20}
    page.get_by_label("minutes").fill("")
    page.keyboard.press("Tab")
    assert page.evaluate("() => window.sent.minutes") == 20
    page.evaluate("() => window.model.answer('<i>second</i>')")
    assert page.inner_text("i") == "second"
    page.close()
