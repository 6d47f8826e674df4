import { type PackedData, unpackData } from "../texts.ts";
import { byId } from "./dom.ts";
import { Playground } from "./playground.ts";

const data = unpackData(JSON.parse(byId("data").textContent ?? "") as PackedData);
byId("data").remove();
const playground = new Playground(data);
void playground.begin();

/**
 * For the console and for tests: decides a workspace as the page would, and returns what is in the page now. There is
 * nothing here that the page itself cannot do.
 */
Object.assign(globalThis, { playground });
