"""What several tests need: kernel texts, cases, fakes of the driver, seeded faults, arrays."""
