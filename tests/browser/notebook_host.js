// A page in the place of a notebook: a model as anywidget gives it, whose messages the server of the tests answers.

window.models = [];

/** Shows one widget: `values` are those of its traits. */
window.show = async (script, values) => {
  const listeners = new Map();
  const emit = (event, ...given) => [...(listeners.get(event) ?? [])].forEach((each) => each(...given));
  const reply = (content, bytes) => emit("msg:custom", content, bytes ? [new DataView(bytes)] : []);
  const bodies = new Map();
  const model = {
    values,
    silent: false,
    get: (name) => model.values[name],
    set(name, value) {
      if (model.values[name] === value) return;
      model.values[name] = value;
      emit(`change:${name}`);
    },
    save_changes() {},
    on: (event, listener) => listeners.set(event, [...(listeners.get(event) ?? []), listener]),
    off: (event, listener) =>
      listeners.set(
        event,
        (listeners.get(event) ?? []).filter((each) => each !== listener),
      ),
    async send({ kind, id, target, method, headers, dark }, _, buffers) {
      if (model.silent) return;
      if (kind === "body") bodies.set(id, [...(bodies.get(id) ?? []), ...buffers]);
      if (kind !== "ask" && kind !== "page") return;
      const made = `/framed?${new URLSearchParams({ target, dark })}`;
      const body = bodies.get(id) && new Blob(bodies.get(id));
      const found = await fetch(...(kind === "page" ? [made] : [target, { method, headers, body }]));
      const bytes = await found.arrayBuffer();
      const head = { status: found.status, headers: [...found.headers] };
      for (const each of models) each.heard({ kind: "reply", id, more: false, ...head }, bytes); // all tabs hear it
    },
    heard: (content, bytes) => reply(content, bytes.slice()),
  };
  models.push(model);
  const { default: widget } = await import(script);
  const el = document.body.appendChild(document.createElement("div"));
  model.end = widget.render({ model, el });
};
