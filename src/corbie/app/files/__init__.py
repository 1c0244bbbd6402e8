"""Content records as signed, sealed files and blobs."""
