import { App } from "aws-cdk-lib";
import { makeStacks } from "./stacks.js";

makeStacks(new App());
