func.func @broken() -> i32 {
  return %missing : i32
}
