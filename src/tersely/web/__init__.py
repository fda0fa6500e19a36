"""What every site of tersely shares: limits, headers, errors, tokens; no models here."""
