import { ProviderPage } from "./elements/provider-page.js";
import { frame } from "./frame.js";

customElements.define("provider-page", ProviderPage);
frame({}, () => {});
