import { ProviderPage } from "./elements/provider-page.js";
import { frame } from "./shell.js";

customElements.define("provider-page", ProviderPage);
frame({}, () => {});
