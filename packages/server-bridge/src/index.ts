export { type NativeOptions, native } from "./native/native.js";
export { findNativeProgram, type NativeProgram } from "./native/native-program.js";
