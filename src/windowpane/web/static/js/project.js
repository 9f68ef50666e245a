import { SettingsForm } from "./elements/settings-form.js";
import { TopicTree } from "./elements/topic-tree.js";
import { ViewList } from "./elements/view-list.js";
import { frame } from "./shell.js";

frame({}, () => {});
customElements.define("settings-form", SettingsForm);
customElements.define("topic-tree", TopicTree);
customElements.define("view-list", ViewList);
