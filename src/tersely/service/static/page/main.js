/** The page: finds its elements by id and connects its parts. */

import { ApiClient } from "../widget/api.js";
import { createElement } from "../widget/elements.js";
import { sentenceAt } from "../widget/query.js";
import { Suggester } from "../widget/suggester.js";
import { promptForToken, savedToken } from "./access_token.js";
import { setUpAppearanceButton } from "./appearance.js";
import { growWithText, persistDraft } from "./draft.js";
import { KeystrokePanel } from "./keystroke_panel.js";
import { KeywordPanel } from "./keyword_panel.js";
import { MemoryPanel } from "./memory_panel.js";
import { Notice } from "./notice.js";
import { SentenceRecorder } from "./sentence_recorder.js";

const SETTINGS_RETRY_MS = 2000;

const byId = (id) => document.getElementById(id);

const editor = byId("editor");
const notice = new Notice(byId("notice"));
const onError = (error) => notice.showError(error);
const api = new ApiClient(new URL(".", location.href), savedToken());

setUpAppearanceButton(byId("appearance"));
persistDraft(editor);
growWithText(editor);

const suggester = new Suggester(editor, api);
editor.addEventListener("tersely:trouble", ({ detail }) => onError(detail.trouble));

new KeystrokePanel(editor, suggester, {
  typed: byId("keystrokes-typed"),
  saved: byId("keystrokes-saved"),
  share: byId("keystrokes-share"),
  gauge: byId("keystrokes-gauge"),
  reset: byId("keystrokes-reset"),
});

const keywordPanel = new KeywordPanel(
  api,
  {
    field: byId("keywords-sentence"),
    shaded: byId("keywords-shaded"),
    summary: byId("keywords-summary"),
    slider: byId("keywords-budget"),
    share: byId("keywords-share"),
    reset: byId("keywords-reset"),
  },
  onError,
);
const showEditorSentence = () =>
  keywordPanel.showEditorSentence(sentenceAt(editor.value, editor.selectionEnd));
for (const name of ["input", "tersely:accept", "tersely:back"]) {
  editor.addEventListener(name, showEditorSentence);
}

const memoryPanel = new MemoryPanel(
  api,
  {
    toggle: byId("memory-switch"),
    about: byId("memory-about"),
    body: byId("memory-body"),
    search: byId("memory-search"),
    list: byId("memory-list"),
    count: byId("memory-count"),
    exportButton: byId("memory-export"),
    forgetAll: byId("memory-forget-all"),
    dialog: byId("forget-dialog"),
  },
  {
    onChange: () => suggester.clearCache(),
    onError,
    onForgottenAll: () => notice.showBriefly("Everything remembered is forgotten."),
  },
);
new SentenceRecorder(editor, suggester, (sentence) => memoryPanel.remember(sentence));

byId("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(editor.value);
    notice.showBriefly("Copied.");
  } catch {
    editor.select(); // the browser forbids scripts to copy; the user can
    notice.showBriefly("Selected: copy it with Ctrl+C.");
  }
});

function showModels(models) {
  const select = byId("model-select");
  select.replaceChildren(...models.map(({ name }) => createElement("option", {}, name)));
  byId("model").hidden = models.length < 2; // the default model is the first
  select.addEventListener("change", () => (suggester.model = select.value));
}

/** Load the settings of the service; retry while it is starting. */
async function start() {
  try {
    const [settings, { models }] = await Promise.all([api.settings(), api.models()]);
    notice.clear();
    suggester.limits = settings.limits;
    keywordPanel.maxCharacters = settings.limits.characters;
    memoryPanel.start(settings.memory);
    showModels(models);
    showEditorSentence();
  } catch (error) {
    if (error.status === 401) {
      api.token = await promptForToken(byId("token-dialog"));
    } else {
      onError(error);
      await new Promise((resolve) => setTimeout(resolve, SETTINGS_RETRY_MS));
    }
    await start();
  }
}

editor.focus();
await start();
