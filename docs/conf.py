"""Sphinx configuration: MyST pages, furo, API from the docstrings. Needs no network."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from declared import SUBSTITUTIONS
from notebook_pages import write_pages

project = "streamboost"
author = "The streamboost developers"
copyright = "2026, the streamboost developers"
release = installed_version("streamboost")
version = release

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "mathml",
    "directives",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build"]

myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence", "substitution"]
myst_substitutions = SUBSTITUTIONS
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_mock_imports = ["capymoa"]  # needs Java; River is installed with the development tools
autodoc_typehints = "none"  # the docstrings say the types, in words
napoleon_google_docstring = False
napoleon_use_rtype = False

html_math_renderer = "mathml"
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = f"streamboost {release}"
html_show_sphinx = False


def leave_out_foreign(app, what, name, obj, skip, options):
    """Leave methods inherited from scikit-learn to its own pages, whose cross-references we lack."""
    return True if (getattr(obj, "__module__", None) or "").startswith("sklearn.") else None


def setup(app):
    app.connect("autodoc-skip-member", leave_out_foreign)
    app.connect("config-inited", lambda app, config: write_pages())
