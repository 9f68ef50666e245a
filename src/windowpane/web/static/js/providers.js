import { NearbyServers } from "./elements/nearby-servers.js";
import { ProviderList } from "./elements/provider-list.js";
import { frame } from "./shell.js";

customElements.define("provider-list", ProviderList);
customElements.define("nearby-servers", NearbyServers);
frame({}, () => {});
