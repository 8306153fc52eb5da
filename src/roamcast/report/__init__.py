"""Tables turned into pictures and pages."""
