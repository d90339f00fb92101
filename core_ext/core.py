"""What `import core_ext.core` finds where no compiled core is: Python looks for those first.

So this is the place to say why there is none."""

from core_ext import NoCoreError, why_no_core

raise NoCoreError(why_no_core)
