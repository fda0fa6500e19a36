/** The page: its parts found by their ids, and introduced to each other. */

import { make } from "../suggest/elements.js";
import { sentenceAt } from "../suggest/line.js";
import { Service } from "../suggest/service.js";
import { Suggester } from "../suggest/suggester.js";
import { switchAppearance } from "./appearance.js";
import { fitToText, keepDraft } from "./drafting.js";
import { EnoughPanel } from "./enough.js";
import { askForToken, tokenOfThisTab } from "./entering.js";
import { MemoryPanel } from "./memory.js";
import { Notice } from "./notice.js";
import { Remembering } from "./remembering.js";
import { Totals } from "./totals.js";

const SETTINGS_RETRY_MS = 2000;

const part = (id) => document.getElementById(id);
const parts = (prefix, names) =>
  Object.fromEntries(Object.entries(names).map(([name, id]) => [name, part(`${prefix}-${id}`)]));

const box = part("writing");
const notice = new Notice(part("notice"));
const service = new Service(new URL(".", location.href), tokenOfThisTab());

switchAppearance(part("appearance"));
keepDraft(box);
fitToText(box);

const suggester = new Suggester(box, service);
box.addEventListener("tersely:trouble", ({ detail }) => notice.tell(detail.trouble));

const totals = { typed: "typed", saved: "saved", share: "share", gauge: "gauge", reset: "reset" };
new Totals(box, suggester, parts("totals", totals));

const enough = new EnoughPanel(
  service,
  parts("enough", {
    field: "sentence",
    shaded: "shaded",
    summary: "summary",
    slider: "budget",
    share: "share",
    free: "free",
  }),
  (trouble) => notice.tell(trouble),
);
const follow = () => enough.follow(sentenceAt(box.value, box.selectionEnd));
for (const name of ["input", "tersely:accept", "tersely:back"]) box.addEventListener(name, follow);

const memory = new MemoryPanel(
  service,
  {
    ...parts("memory", { toggle: "switch", about: "about", body: "body", search: "search" }),
    ...parts("memory", { list: "list", count: "count", save: "export", forgetAll: "forget-all" }),
    dialog: part("forget-dialog"),
  },
  {
    onChange: () => suggester.forgetAnswers(),
    onTrouble: (trouble) => notice.tell(trouble),
    onDone: (text) => notice.mention(text),
  },
);
new Remembering(box, suggester, (sentence) => memory.remember(sentence));

part("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(box.value);
    notice.mention("Copied.");
  } catch {
    box.select(); // the browser forbids it; the person's own keys may still
    notice.mention("Selected: copy it with Ctrl+C.");
  }
});

function offerModels({ models }) {
  const choice = part("model-choice");
  choice.replaceChildren(...models.map(({ name }) => make("option", {}, name)));
  part("model").hidden = models.length < 2; // the default one is first
  choice.addEventListener("change", () => (suggester.model = choice.value));
}

/** Learn what the service offers; one that is still starting is asked again. */
async function start() {
  try {
    const [settings, models] = await Promise.all([service.settings(), service.models()]);
    notice.clear();
    suggester.limits = settings.limits;
    enough.longest = settings.limits.characters;
    memory.start(settings.memory);
    offerModels(models);
    follow();
  } catch (trouble) {
    if (trouble.status === 401) {
      service.token = await askForToken(part("token-dialog"));
    } else {
      notice.tell(trouble);
      await new Promise((resolve) => setTimeout(resolve, SETTINGS_RETRY_MS));
    }
    await start();
  }
}

box.focus();
await start();
