import { ProviderForm } from "./elements/provider-form.js";
import { frame } from "./frame.js";

customElements.define("provider-form", ProviderForm);
frame({}, () => {});
