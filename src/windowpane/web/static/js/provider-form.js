import { ProviderForm } from "./elements/provider-form.js";
import { frame } from "./shell.js";

customElements.define("provider-form", ProviderForm);
frame({}, () => {});
