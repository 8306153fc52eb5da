"""Parts that several protocols are built from. Plug-ins may use them too."""
