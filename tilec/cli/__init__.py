"""The `tilec` command. Nothing else imports this package."""
